import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.oauth2.sdk.ClientCredentialsGrant;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.dpop.DPoPProofFactory;
import com.nimbusds.oauth2.sdk.dpop.DefaultDPoPProofFactory;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.token.DPoPAccessToken;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.Map;

/**
 * Gets tokens with the OAuth 2.0 SDK of Nimbus: one for each line that it reads. Writes {"ok": ...,
 * "token": ...}. {@code key} and {@code key-ready} authenticate with a key. {@code proof} binds the
 * tokens to a key, and calls an API with each.
 */
public final class OauthSdk {
  private static ClientAuthentication authenticate(boolean withKey) throws Exception {
    var id = new ClientID(System.getenv("CLIENT_ID"));
    if (!withKey) return new ClientSecretBasic(id, new Secret(System.getenv("CLIENT_SECRET")));
    var key = (AsymmetricJWK) JWK.parse(System.getenv("PRIVATE_JWK"));
    var issuer = URI.create(System.getenv("ISSUER"));
    var algorithm = JWSAlgorithm.parse(System.getenv("KEY_ALG"));
    return new PrivateKeyJWT(id, issuer, algorithm, key.toPrivateKey(), null, null);
  }

  private static String getToken(boolean withKey, DPoPProofFactory proofs) throws Exception {
    var address = URI.create(System.getenv("TOKEN_URL"));
    var request =
        new TokenRequest.Builder(address, authenticate(withKey), new ClientCredentialsGrant())
            .scope(new Scope("messaging:view"))
            .build();
    var http = request.toHTTPRequest();
    if (proofs != null) http.setDPoP(proofs.createDPoPJWT("POST", address));
    var response = TokenResponse.parse(http.send());
    if (!response.indicatesSuccess()) {
      throw new IllegalStateException(response.toErrorResponse().toJSONObject().toJSONString());
    }
    var tokens = response.toSuccessResponse().getTokens();
    if (proofs != null) callApi(tokens.getDPoPAccessToken(), proofs);
    return tokens.getAccessToken().getValue();
  }

  private static void callApi(DPoPAccessToken token, DPoPProofFactory proofs) throws Exception {
    var address = URI.create(System.getenv("EXAMPLE_URL"));
    var request = new HTTPRequest(HTTPRequest.Method.GET, address);
    request.setAuthorization(token.toAuthorizationHeader());
    request.setDPoP(proofs.createDPoPJWT("GET", address, token));
    request.send().ensureStatusCode(200);
  }

  public static void main(String[] args) throws Exception {
    var key = new ECKeyGenerator(Curve.P_256).generate();
    var proofs =
        args[1].equals("proof") ? new DefaultDPoPProofFactory(key, JWSAlgorithm.ES256) : null;
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, Object> answer;
      try {
        answer = Map.of("ok", true, "token", getToken(args[1].startsWith("key"), proofs));
      } catch (Exception error) {
        var why = error.getClass().getSimpleName() + ": " + error.getMessage();
        answer = Map.of("ok", false, "why", why.substring(0, Math.min(200, why.length())));
      }
      System.out.println(JSONObjectUtils.toJSONString(answer));
    }
  }
}
